block
key
