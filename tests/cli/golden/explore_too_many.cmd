explore
sliding
--clients
9
