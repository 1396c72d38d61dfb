BEGIN TRANSACTION;
CREATE TABLE history (
                        id           TEXT PRIMARY KEY,
                        memory_id    TEXT,
                        old_memory   TEXT,
                        new_memory   TEXT,
                        event        TEXT,
                        created_at   DATETIME,
                        updated_at   DATETIME,
                        is_deleted   INTEGER,
                        actor_id     TEXT,
                        role         TEXT
                    );
INSERT INTO "history" VALUES('36f675cc-81e7-4ef5-a8e2-5d940ed90475','6513270e-269e-4d37-b2a7-4de452e6b438',NULL,'User is allergic to peanuts.','ADD','2025-03-01T08:30:15.250000+00:00',NULL,0,NULL,NULL);
INSERT INTO "history" VALUES('6b0d549b-6f03-475a-9600-a35a099950d8','d23f0824-128b-4f33-8c5c-7fd0a6a3a450',NULL,'User''s sister Ana lives in Porto.','ADD','2025-03-02T08:37:15.250000+00:00',NULL,0,NULL,NULL);
INSERT INTO "history" VALUES('8d116ece-1738-47d9-bd9c-172411e20b8f','9531985d-5d9d-49f8-9818-e811892f902b',NULL,'Assistant recommended the bakery on Rua Augusta.','ADD','2025-03-03T08:44:15.250000+00:00',NULL,0,NULL,NULL);
INSERT INTO "history" VALUES('0fd630f1-f29d-4da9-953f-48f1a09f76b5','a170b338-3926-4059-b28c-105d1fb17c23',NULL,'I live in Berlin.','ADD','2025-03-05T08:58:15.250000+00:00','2025-03-05T08:58:15.250000+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('8e81973e-0bec-47b0-b898-d190f9ebdacc','0cb1e29c-658c-4a14-95e6-0af593bd04cf',NULL,'I play the cello in a quartet.','ADD','2025-03-06T09:05:15.250000+00:00','2025-03-06T09:05:15.250000+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('92276658-1e27-41c0-8a6a-63ec24ede6a4','6b4cb242-4a23-4596-a217-beaddbc496cb',NULL,'I have a gym pass.','ADD','2025-03-07T09:12:15.250000+00:00','2025-03-07T09:12:15.250000+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('923a7369-94e3-4f91-9a61-dbe22e44158b','ae97ba94-d0ed-482f-8f6d-05584ef8aa38',NULL,'I drink oat milk.','ADD','2025-03-08T09:19:15.250000+00:00','2025-03-08T09:19:15.250000+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('907a70c3-1012-4037-b64c-e4228c38fb29','18f135d2-5f55-4203-b018-50c5a38fd547',NULL,'I booked the table for eight.','ADD','2025-03-09T09:26:15.250000+00:00','2025-03-09T09:26:15.250000+00:00',0,'Sam','assistant');
INSERT INTO "history" VALUES('7f150524-34b9-45df-9e77-69b10f4205b4','a170b338-3926-4059-b28c-105d1fb17c23','I live in Berlin.','I live in Lisbon.','UPDATE','2025-03-05T08:58:15.250000+00:00','2025-03-10T09:33:15.250000+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('c6f87718-6d76-407e-881e-d162ae2eb154','6b4cb242-4a23-4596-a217-beaddbc496cb','I have a gym pass.','I have a gym pass.','UPDATE','2025-03-07T09:12:15.250000+00:00','2025-03-11T09:40:15.250000+00:00',0,NULL,'user');
INSERT INTO "history" VALUES('ec66a787-95e7-41d1-b731-af10506bf2ef','ae97ba94-d0ed-482f-8f6d-05584ef8aa38','I drink oat milk.',NULL,'DELETE','2025-03-08T09:19:15.250000+00:00','2025-03-12T09:47:15.250000+00:00',1,NULL,'user');
CREATE TABLE messages (
                        id TEXT PRIMARY KEY,
                        session_scope TEXT,
                        role TEXT,
                        content TEXT,
                        name TEXT,
                        created_at DATETIME
                    );
INSERT INTO "messages" VALUES('90c192cf-d3ac-44af-8f21-ddb66cad4a26','run_id=r1&user_id=alex','user','No peanuts for me. Ana, my sister, is in Porto.',NULL,'2025-03-04T08:51:15.250000+00:00');
COMMIT;
