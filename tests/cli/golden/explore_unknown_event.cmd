explore
sliding
--events
earthquake
