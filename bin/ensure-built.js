// Builds dist/ when it is missing or older than the sources. Needs devDependencies only when it has to build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const newest = (path) =>
  statSync(path).isDirectory()
    ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
    : statSync(path).mtimeMs;

const built = join(root, 'dist/.built');
const sources = join(root, 'src');
const builder = join(root, 'bin/build.js');
if (!existsSync(sources)) process.exit(0);
if (existsSync(built) && statSync(built).mtimeMs >= Math.max(newest(sources), newest(builder)))
  process.exit(0);
if (!existsSync(join(root, 'node_modules/rolldown'))) {
  const isInstall = process.env.npm_lifecycle_event === 'dependencies';
  console.error(
    isInstall
      ? 'svc: the build tools are not installed, skipping the build'
      : 'svc is not built and the build tools are not installed. Run: npm install --include=dev',
  );
  process.exit(isInstall ? 0 : 1);
}
process.exit(spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' }).status ?? 1);
