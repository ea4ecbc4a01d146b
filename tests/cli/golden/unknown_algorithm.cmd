hit
key
--limit
20
--window
60s
--algo
slidng-list
