inspekt
