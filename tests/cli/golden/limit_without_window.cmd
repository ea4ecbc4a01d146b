inspect
key
--limit
20
