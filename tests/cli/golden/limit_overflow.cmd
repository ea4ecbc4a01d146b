hit
key
--limit
99999999999999999999
--window
60s
