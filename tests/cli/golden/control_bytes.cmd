hit
key
--limit
5[31m
--window
60s
