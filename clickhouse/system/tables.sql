-- Tables and views that the server has of this service.
SELECT name, engine FROM system.tables WHERE database = currentDatabase()
