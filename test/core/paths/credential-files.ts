/** A random text that no list of known keys contains. */
const hex = '9d4e1f07c2b85a36e0f19c7d284b6a53';
const mixed = 'Zk3vQ9xT1mWb7YpR5uLc2HdF8sJa6NgE';
const bcrypt = `$2y$12$${'s.YfQ1Vd7zfvAuO9Iz6ft5iO8kZbbEgreZnDcYOGvX4NGJskYQIst'.slice(0, 53)}`;
const sha512 = `$6$LnUhhUi45srUKt9i$${'4Hp6VRTOB2mxvsYH8mwsCfBryg6hCbm4JJjV26KplN8e'.repeat(2)}`;
const block = (kind: string) => `-----BEGIN ${kind}-----\n${mixed.repeat(2)}\n-----END ${kind}-----\n`;

/** Files as people leave them in repositories, by the kinds of a public collection of leaks; all values are invented. */
export const credentialFiles: Record<string, string> = {
  '.bash_profile': `alias ll='ls -l'\nexport AWS_SECRET_ACCESS_KEY="${mixed}"\n`,
  '.bashrc': `HISTSIZE=1000\nexport MAIL_PASSWORD="Wq!98213"\n`,
  '.docker/.dockercfg': `{"https://index.docker.io/v1/": {"auth": "${mixed}"}}`,
  '.docker/config.json': `{"auths": {"x": {"auth": "${mixed}"}}}`,
  '.mozilla/firefox/logins.json': '{"logins": []}',
  '.ssh/id_rsa': block('RSA PRIVATE KEY'),
  '.ssh/id_rsa.pub': 'ssh-rsa AAAA me@host',
  'cloud/.credentials': '[default]',
  'cloud/.s3cfg': '[default]',
  'cloud/.tugboat': `authentication:\n  api_key: ${hex}\n`,
  'cloud/heroku.json': `{"heroku": {"HEROKU_API_KEY": "${hex}"}}`,
  'cloud/keys.json': `{"service": {"SERVICE_API_KEY": "${hex}"}}`,
  'db/dump.sql': `INSERT INTO users VALUES\n(1, 'ann', '${bcrypt}', 1),\n`,
  'db/mongoid.yml': 'production:\n  uri: "mongodb://shop:shopword@ds04.mongo-host.com:48537/main"\n',
  'etc/shadow': `root:${sha512}:17000:0:::::\n`,
  'filezilla/recentservers.xml': '<Server><Pass encoding="base64">cGFzcw==</Pass></Server>',
  'filezilla/sitemanager.xml': '<Server><Pass encoding="base64">cGFzcw==</Pass></Server>',
  'filezilla/filezilla.xml': '<FileZilla3/>',
  'ftp/servers.xml': '<Server><Host>h</Host><Pass encoding="base64">cTk4MjEzd3E=</Pass></Server>',
  'random.txt': `K1:${mixed}${mixed}\n`,
  'misc-keys/cert-key.pem': block('PRIVATE KEY'),
  'misc-keys/putty.ppk': 'PuTTY-User-Key-File-2: ssh-rsa',
  'misc-keys/notes.txt': `a key:\n${block('EC PRIVATE KEY')}`,
  proftpdpasswd: `root:${sha512}:3044:3045::/home/root:/bin/ftpsh`,
  'ftpd.passwd': `root:${sha512}:3044:3045::/home/root:/bin/ftpsh`,
  'web/config/master.key': hex,
  'web/secrets.yml': 'production:\n  secret_key_base: x\n',
  'web/www/.env': 'A=b',
  '.npmrc': 'registry=x',
  'web/wp-config.php': "<?php define( 'DB_PASSWORD', 'admin' );",
  'web/.htpasswd': 'a:b',
  '.git-credentials': 'https://a:b@c',
  'db/robomongo.json': '{"connections": []}',
  'db/clients.json':
    '{"connections": [{"userName": "shop", "userPassword": "mongoword", "serverHost": "db"}]}',
  'web/salesforce.js': "conn.login('ann@company.org', 'salesforceword', done);",
  '.netrc': 'machine x',
  hub: `github.com:\n- user: ann\n  oauth_token: "${hex}"\n`,
  config: 'IRC_NICK=nick\nIRC_PASS=irc_word',
  'db/.pgpass': 'a:b',
  'ventrilo_srv.ini': 'AdminPassword=x',
  'chat.ini': '[Server]\nName=Server\nAdminPassword=Channel12345\n',
  'web/config.php': "<?php\n $dbuser = 'root';\n $dbpasswd = 'word2931';",
  'db/dbeaver-data-sources.xml': '<connection user="user" password="password"/>',
  'db/sources.xml': '<connection host="h" user="u" password="w0rd2931"/>',
  '.esmtprc': 'hostname=x',
  'web/settings.py': "SECRET_KEY = 'zh4!gq(w^_t[sBR29954x)HI+ehwss*xYNQeu([xcWMhdz'",
  'deployment-config.json': '{"host": "h", "username": "root", "password": "hunter2291"}',
  '.ftpconfig': '{}',
  '.remote-sync.json': '{}',
  '.vscode/sftp.json': '{}',
  'sftp-config.json': '{}',
  '.idea/WebServers.xml': `<fileTransfer host="h" port="21" password="${hex}" username="root"/>`,
  'app/client.py': `API_TOKEN = "${mixed}"\n`,
  'deploy.sh': `export GITHUB_TOKEN=ghp_${mixed}abcd\n`,
};

/** Files that look similar and are read in every project. */
export const harmlessFiles: Record<string, string> = {
  'package.json': '{"name": "x", "scripts": {"test": "vitest"}, "dependencies": {"jsonwebtoken": "^9.0.0"}}',
  'package-lock.json': `{"integrity": "sha512-${mixed}${mixed}=="}`,
  'compose.yaml':
    'services:\n  db:\n    environment:\n      POSTGRES_USER: app\n      POSTGRES_PASSWORD: postgres\n',
  'compose.prod.yaml':
    'environment:\n  DB_HOST: db\n  DB_PASSWORD: ${DB_PASSWORD}\n  API_KEY: "{{ vault.key }}"\n',
  '.github/workflows/ci.yml': 'env:\n  NPM_TOKEN: ${{ secrets.NPM_TOKEN }}\n  HOST: x\n',
  'config/app.toml': 'host = "localhost"\nport = 80\n[auth]\ntoken_ttl = 3600\npassword_min_length = 12\n',
  'openapi.json': '{"properties": {"password": {"type": "string"}, "token": "string", "username": "string"}}',
  'locales/de.json':
    '{"username": "Benutzername", "forgot_password": "Passwort vergessen?", "password": "Passwort"}',
  'tsconfig.json': '{"compilerOptions": {"target": "es2024"}}',
  'settings.py': "SECRET_KEY = os.environ['SECRET_KEY']\nDB_PASSWORD = env('DB_PASSWORD')\nHOST = 'x'\n",
  'src/auth.ts':
    "const password = form.get('password'); const token = createToken(user); const secret = 'hunter2';",
  'src/auth.test.ts': `const token = '${mixed}';`,
  'test/fixtures/config.json': `{"user": "a", "password": "hunter2291", "token": "${mixed}"}`,
  'README.md': 'Set `PASSWORD=…` and API_KEY=your-api-key-here.',
  '.env.example': 'PASSWORD=changeme2291',
  'requirements.txt': `requests==2.31.0 --hash=sha256:${hex}${hex}\n`,
  'checksums.txt': `${hex}${hex}  file.tar.gz\nsha256: ${hex}${hex}\n`,
  'go.sum': `github.com/x/y v1.2.3 h1:${mixed}=`,
  'nginx.conf': 'proxy_pass http://backend:8080;\nserver_name example.com;\n',
  '.gitlab-ci.yml': 'script:\n  - docker login -u "$CI_USER" -p "$CI_PASSWORD"\n',
  '.eslintrc': '{"rules": {"no-console": "off"}}',
  'data.csv': 'user,password_changed_at\nann,2026-01-01\n',
};
