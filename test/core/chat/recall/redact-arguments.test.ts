import { describe, expect, it } from 'vitest';
import { redactCommand, redactUrl } from '../../../../src/core/chat/recall/redact-arguments.ts';

describe('redactCommand', () => {
  it.each([
    ['npm run test:unit -- --token=hunter2', 'npm run test:unit'],
    ['npm run deploy hunterpassword', 'npm run deploy'],
    ['npm test', 'npm test'],
    ['npx vitest run test/core/chat', 'npx vitest run test/core/chat'],
    ['/usr/bin/git push origin main', 'git push'],
    ['git commit -m hunterpassword', 'git commit'],
    ['git config user.password hunterpassword', 'git config'],
    ['git clone https://me:hunterpassword@example.org/a.git', 'git clone'],
    ['git clone deploy:hunterpassword/a.git', 'git clone'],
    ['git clone name@example.org', 'git clone'],
    ['git stash pop', 'git stash pop'],
    ['python3.12 scripts/load_users.py hunterpassword', 'python3.12 scripts/load_users.py'],
    ['python seed.py hunterpassword', 'python seed.py'],
    ['node dist/main.js hunterpassword', 'node dist/main.js'],
    ['cargo run hunterpassword', 'cargo run'],
    ['go test ./...', 'go test ./...'],
    ['make release', 'make release'],
    ['docker compose up -d', 'docker compose up'],
    ['docker exec door hunterpassword', 'docker exec'],
    ['kubectl rollout restart deployment', 'kubectl rollout restart'],
    ['pytest tests/test_doors.py', 'pytest tests/test_doors.py'],
    // What looks like a key is none of it.
    ['make 9f8a7b6c5d4e3f2a', 'make'],
    ['make QwErTyUiOpAs', 'make'],
    ['make correcthorsebatterystaple', 'make'],
    ['node dist/hunter2.js', 'node'],
    ['cat /run/secrets/xkcdqwrtpsdf', 'cat'],
    // The arguments of unknown programs may be secrets.
    ['htpasswd admin hunterpassword', 'htpasswd'],
    ['vault login correcthorsebattery', 'vault'],
    ['/usr/bin/mysql -phunter2 doors', 'mysql'],
    ['PGPASSWORD=hunter2 psql', ''],
    [`${'9f8a7b6c'.repeat(9)} x`, ''],
    ['', ''],
  ])('reduces the command: %s', (command, expected) => {
    expect(redactCommand(command)).toBe(expected);
  });
});

describe('redactUrl', () => {
  it.each([
    ['https://me:hunter2@example.org:8443/a?key=hunter2#x', 'https://example.org:8443/a'],
    ['https://api.telegram.org/bot123456789:AAEhBP0avQ7Rk2Zx9/getMe', 'https://api.telegram.org/…/getMe'],
    ['https://x.test/reset/9f8a7b6c5d4e3f2a', 'https://x.test/reset/…'],
    ['https://x.test/reset/4829134', 'https://x.test/reset/…'],
    ['https://x.test/join/QwErTyUiOpAs', 'https://x.test/join/…'],
    ['https://x.test/join/correcthorsebatterystaple', 'https://x.test/join/…'],
    ['https://x.test/t/%41bc', 'https://x.test/t/…'],
    ['https://x.test/api/v2/how-to_paint.Doors.html', 'https://x.test/api/v2/how-to_paint.Doors.html'],
    ['https://x.test/2026/11/README.md', 'https://x.test/2026/11/README.md'],
    ['http://x.test', 'http://x.test/'],
    ['data:text/plain,hunterpassword', ''],
    ['no address', ''],
  ])('redacts the URL: %s', (url, expected) => {
    expect(redactUrl(url)).toBe(expected);
  });
});
