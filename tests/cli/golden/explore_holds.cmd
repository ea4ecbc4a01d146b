explore
sliding-list
--clients
4
--limit
3
