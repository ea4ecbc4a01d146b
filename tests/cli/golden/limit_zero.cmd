hit
key
--limit
0
--window
60s
