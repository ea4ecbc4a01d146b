inspect

