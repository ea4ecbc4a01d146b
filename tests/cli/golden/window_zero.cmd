hit
key
--limit
20
--window
0
