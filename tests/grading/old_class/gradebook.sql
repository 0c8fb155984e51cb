PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE student (
	id VARCHAR(128) NOT NULL, 
	first_name VARCHAR(128), 
	last_name VARCHAR(128), 
	email VARCHAR(128), 
	lms_user_id VARCHAR(128), 
	PRIMARY KEY (id)
);
INSERT INTO student VALUES('ada','Ada','Lovelace',NULL,NULL);
INSERT INTO student VALUES('bob',NULL,NULL,NULL,NULL);
INSERT INTO student VALUES('eve',NULL,NULL,NULL,NULL);
INSERT INTO student VALUES('李雷',NULL,NULL,NULL,NULL);
CREATE TABLE course (
	id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (id)
);
INSERT INTO course VALUES('mini');
INSERT INTO course VALUES('default_course');
CREATE TABLE assignment (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	duedate DATETIME, 
	course_id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
INSERT INTO assignment VALUES('f7b6a2f76aec4b3db34dfb87519a8ae9','01_mini',NULL,'mini');
CREATE TABLE notebook (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	assignment_id VARCHAR(32), 
	kernelspec VARCHAR(1024), 
	PRIMARY KEY (id), 
	UNIQUE (name, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO notebook VALUES('80bcf8ba9dd1405788130ebfbea70b34','01_mini','f7b6a2f76aec4b3db34dfb87519a8ae9','{"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}');
CREATE TABLE submitted_assignment (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	student_id VARCHAR(128), 
	timestamp DATETIME, 
	extension DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (assignment_id, student_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	FOREIGN KEY(student_id) REFERENCES student (id)
);
INSERT INTO submitted_assignment VALUES('bd334697a7f1427a9cc9736f94db4452','f7b6a2f76aec4b3db34dfb87519a8ae9','ada','2026-11-20 10:00:00.000000',NULL);
INSERT INTO submitted_assignment VALUES('4560e1f1153d4ba58e146c4c9a5cfb53','f7b6a2f76aec4b3db34dfb87519a8ae9','bob','2026-11-21 09:30:00.000000',NULL);
INSERT INTO submitted_assignment VALUES('b5dcc8bfac424d81afa74bd566a7bb88','f7b6a2f76aec4b3db34dfb87519a8ae9','eve',NULL,NULL);
INSERT INTO submitted_assignment VALUES('91a38914e81b41eb8dc4abed633fe171','f7b6a2f76aec4b3db34dfb87519a8ae9','李雷','2026-11-21 11:00:00.000000',NULL);
CREATE TABLE base_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	notebook_id VARCHAR(32) NOT NULL, 
	type VARCHAR(50), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id, type), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO base_cell VALUES('8591a522a1f54faa88df895e0292266e','check-double','80bcf8ba9dd1405788130ebfbea70b34','GradeCell');
INSERT INTO base_cell VALUES('87414cdf081c4391baf6056a899a6ed8','check-total','80bcf8ba9dd1405788130ebfbea70b34','GradeCell');
INSERT INTO base_cell VALUES('efca9001d1754f0f9cf7f233556d9b16','quiz-twice','80bcf8ba9dd1405788130ebfbea70b34','GradeCell');
INSERT INTO base_cell VALUES('08876b9e151c40cd83d2b4148f5984dc','quiz-even','80bcf8ba9dd1405788130ebfbea70b34','GradeCell');
INSERT INTO base_cell VALUES('856b0a64500349b199320a0b7ddf1af6','double','80bcf8ba9dd1405788130ebfbea70b34','SolutionCell');
INSERT INTO base_cell VALUES('5559cb5335364785acba177f1defdee7','total','80bcf8ba9dd1405788130ebfbea70b34','SolutionCell');
CREATE TABLE source_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	locked BOOLEAN NOT NULL, 
	source TEXT, 
	checksum VARCHAR(128), 
	notebook_id VARCHAR(32), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO source_cell VALUES('7bbd6ebb7c9c4b0bbf44212bc405dd7d','double','code',0,replace('def double(x):\n    """Twice x, an array of any shape."""\n    # Write your code here.\n    raise NotImplementedError','\n',char(10)),'aee7f08255d9061d3f6ee1c2b70444f9','80bcf8ba9dd1405788130ebfbea70b34');
INSERT INTO source_cell VALUES('23f8e577da8c4b7daa583e6bf73f83e4','check-double','code',1,'check(double)','2fbe9238974c236c20048265e52b9e18','80bcf8ba9dd1405788130ebfbea70b34');
INSERT INTO source_cell VALUES('7fe5432a11c64a308d888690a4f3a03f','total','code',0,replace('def total(x):\n    """The sum of x''s entries as a float."""\n    # Write your code here.\n    raise NotImplementedError','\n',char(10)),'97cdf4387ae85692e88b6480d21f5c51','80bcf8ba9dd1405788130ebfbea70b34');
INSERT INTO source_cell VALUES('87651c8bda3540c794acd2ba0063bbd2','check-total','code',1,'check(total)','c2730a6547fe91e72ad202c6c601729c','80bcf8ba9dd1405788130ebfbea70b34');
INSERT INTO source_cell VALUES('6863718d796c4b8ba68b7851602615bd','quiz-twice','code',1,'quiz("twice")','cd77203cd44606f5b5b1fcee65863627','80bcf8ba9dd1405788130ebfbea70b34');
INSERT INTO source_cell VALUES('5062f17c8aea43418796db8af9c0cbed','quiz-even','code',1,'quiz("even")','a42adab653bda0ff098a8c5530123ff1','80bcf8ba9dd1405788130ebfbea70b34');
CREATE TABLE submitted_notebook (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	notebook_id VARCHAR(32), 
	flagged BOOLEAN, 
	late_submission_penalty FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (notebook_id, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES submitted_assignment (id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO submitted_notebook VALUES('626d8e31659f4500adcef94588d53cf2','bd334697a7f1427a9cc9736f94db4452','80bcf8ba9dd1405788130ebfbea70b34',0,NULL);
INSERT INTO submitted_notebook VALUES('3d05c7b7483f4c7f8fe6f7445d73bda3','4560e1f1153d4ba58e146c4c9a5cfb53','80bcf8ba9dd1405788130ebfbea70b34',0,NULL);
INSERT INTO submitted_notebook VALUES('6b8c25260ae84983ab59e5824b260257','b5dcc8bfac424d81afa74bd566a7bb88','80bcf8ba9dd1405788130ebfbea70b34',0,NULL);
INSERT INTO submitted_notebook VALUES('000ce5e16d224b16bc8de54e6ea4214a','91a38914e81b41eb8dc4abed633fe171','80bcf8ba9dd1405788130ebfbea70b34',0,NULL);
CREATE TABLE grade_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO grade_cells VALUES('8591a522a1f54faa88df895e0292266e',3.0,'code');
INSERT INTO grade_cells VALUES('87414cdf081c4391baf6056a899a6ed8',2.0,'code');
INSERT INTO grade_cells VALUES('efca9001d1754f0f9cf7f233556d9b16',1.0,'code');
INSERT INTO grade_cells VALUES('08876b9e151c40cd83d2b4148f5984dc',2.0,'code');
CREATE TABLE solution_cells (
	id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO solution_cells VALUES('856b0a64500349b199320a0b7ddf1af6');
INSERT INTO solution_cells VALUES('5559cb5335364785acba177f1defdee7');
CREATE TABLE task_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
CREATE TABLE grade (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_score FLOAT, 
	manual_score FLOAT, 
	extra_credit FLOAT, 
	needs_manual_grade BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO grade VALUES('1e1c876c873e46c4ac95024c87c034b1','626d8e31659f4500adcef94588d53cf2','8591a522a1f54faa88df895e0292266e',3.0,NULL,NULL,0);
INSERT INTO grade VALUES('f52cf814cd634ee7bac4cd2ff7da6dbc','626d8e31659f4500adcef94588d53cf2','87414cdf081c4391baf6056a899a6ed8',2.0,NULL,NULL,0);
INSERT INTO grade VALUES('8fe7231fa40146bcb25878ee7217d993','626d8e31659f4500adcef94588d53cf2','efca9001d1754f0f9cf7f233556d9b16',1.0,NULL,NULL,0);
INSERT INTO grade VALUES('e3acbb4616bb46b1908bd2acbf1f69a6','626d8e31659f4500adcef94588d53cf2','08876b9e151c40cd83d2b4148f5984dc',2.0,NULL,NULL,0);
INSERT INTO grade VALUES('98c97d3411b9473f98324d54d77a5cf1','3d05c7b7483f4c7f8fe6f7445d73bda3','8591a522a1f54faa88df895e0292266e',0.0,1.5,NULL,0);
INSERT INTO grade VALUES('3c61b3c6337d4d68b1847825bbdee1bd','3d05c7b7483f4c7f8fe6f7445d73bda3','87414cdf081c4391baf6056a899a6ed8',2.0,NULL,NULL,0);
INSERT INTO grade VALUES('f0a8417c211a40cc92611a13f377f3e6','3d05c7b7483f4c7f8fe6f7445d73bda3','efca9001d1754f0f9cf7f233556d9b16',0.0,NULL,NULL,0);
INSERT INTO grade VALUES('44b56eb419dc4f07868397264aaff51f','3d05c7b7483f4c7f8fe6f7445d73bda3','08876b9e151c40cd83d2b4148f5984dc',1.0,NULL,NULL,0);
INSERT INTO grade VALUES('cca648c7d2e54d14b46bd67fb008be96','6b8c25260ae84983ab59e5824b260257','8591a522a1f54faa88df895e0292266e',0.0,NULL,NULL,0);
INSERT INTO grade VALUES('943b09d5a5db4721ab4fdec24694b7cf','6b8c25260ae84983ab59e5824b260257','87414cdf081c4391baf6056a899a6ed8',0.0,NULL,NULL,0);
INSERT INTO grade VALUES('e583ec2617374fa2b6e2f023b80418a1','6b8c25260ae84983ab59e5824b260257','efca9001d1754f0f9cf7f233556d9b16',0.0,NULL,NULL,0);
INSERT INTO grade VALUES('09efcc0a3c4a431290dad856b3bd5811','6b8c25260ae84983ab59e5824b260257','08876b9e151c40cd83d2b4148f5984dc',0.0,NULL,NULL,0);
INSERT INTO grade VALUES('2913bdd0ef9b486bb95d7f6dd8af7fa7','000ce5e16d224b16bc8de54e6ea4214a','8591a522a1f54faa88df895e0292266e',3.0,NULL,NULL,0);
INSERT INTO grade VALUES('d884656382254ddb9da3afe934bbf13a','000ce5e16d224b16bc8de54e6ea4214a','87414cdf081c4391baf6056a899a6ed8',0.0,NULL,NULL,0);
INSERT INTO grade VALUES('a1533b4fdf1c4aa48ffdac7b169247f4','000ce5e16d224b16bc8de54e6ea4214a','efca9001d1754f0f9cf7f233556d9b16',1.0,NULL,NULL,0);
INSERT INTO grade VALUES('094012d62ca54fa4889e4f337bd185d6','000ce5e16d224b16bc8de54e6ea4214a','08876b9e151c40cd83d2b4148f5984dc',0.0,NULL,NULL,0);
CREATE TABLE comment (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_comment TEXT, 
	manual_comment TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO comment VALUES('d1afdf7279c24194abdf193a049538b6','626d8e31659f4500adcef94588d53cf2','856b0a64500349b199320a0b7ddf1af6',NULL,NULL);
INSERT INTO comment VALUES('22617c3d809f425c91ba45b8278340b6','626d8e31659f4500adcef94588d53cf2','5559cb5335364785acba177f1defdee7',NULL,NULL);
INSERT INTO comment VALUES('39be5bf808fb44258c9da4756a5b269a','3d05c7b7483f4c7f8fe6f7445d73bda3','856b0a64500349b199320a0b7ddf1af6',NULL,'Half the idea is there.');
INSERT INTO comment VALUES('c7940c1b33b441e5a0e60b4bd22f9889','3d05c7b7483f4c7f8fe6f7445d73bda3','5559cb5335364785acba177f1defdee7',NULL,NULL);
INSERT INTO comment VALUES('3138af944ec24ffc85aac1f2e77f9693','6b8c25260ae84983ab59e5824b260257','856b0a64500349b199320a0b7ddf1af6','No response.',NULL);
INSERT INTO comment VALUES('813d4ee89cbe486abfeba557bf08c6f8','6b8c25260ae84983ab59e5824b260257','5559cb5335364785acba177f1defdee7','No response.',NULL);
INSERT INTO comment VALUES('bc6fc83dd2e7497abb12ee6e6be18411','000ce5e16d224b16bc8de54e6ea4214a','856b0a64500349b199320a0b7ddf1af6',NULL,NULL);
INSERT INTO comment VALUES('e8e2453853844fb79ecac2c447ee250c','000ce5e16d224b16bc8de54e6ea4214a','5559cb5335364785acba177f1defdee7',NULL,NULL);
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO alembic_version VALUES('e43177bfe90b');
COMMIT;
