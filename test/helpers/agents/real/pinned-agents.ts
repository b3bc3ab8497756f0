import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PresetName } from '../../../../src/contract/agents.ts';

interface Pin {
  package: string;
  version: string;
}

/** The programs that the real tests run; older versions of npm take other ones where none is pinned. */
export const pins: Readonly<Record<PresetName, Pin>> = {
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.330' },
  codex: { package: '@openai/codex', version: '0.169.0' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0' },
  opencode: { package: 'opencode-ai', version: '1.18.33' },
};

const named = process.env['SVC_TEST_AGENTS'];
const isRequired = process.env['CI'] === 'true';
const cache = named ?? join(homedir(), '.cache', 'svc-test-agents');
const INSTALL_MS = 600_000;

/**
 * The path of a pinned agent, which is downloaded into the cache where continuous integration runs, or where
 * SVC_TEST_AGENTS names a folder. Undefined, aloud, where it is not in the cache and neither holds; four take 1.2 GB.
 */
export function findAgent(name: PresetName): string | undefined {
  const { version } = pins[name];
  const folder = join(cache, `${name}-${version}`);
  const program = join(folder, 'node_modules', '.bin', name);
  if (existsSync(join(folder, '.installed'))) return program;
  const problem = isRequired || named !== undefined ? install(name, folder) : 'it is not in the cache';
  if (problem === undefined) return program;
  if (isRequired) throw new Error(`${name} ${version} could not be installed: ${problem}`);
  process.stderr.write(
    `SKIPPED: the tests with ${name} ${version}: ${problem}. Name a folder in SVC_TEST_AGENTS to download it there\n`,
  );
  return undefined;
}

/** Answers what went wrong. Others may install the same at the same time: the first that is done counts. */
function install(name: PresetName, folder: string): string | undefined {
  const pin = pins[name];
  const own = `${folder}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  try {
    writeFileSync(join(own, 'package.json'), '{"private":true}');
    const { status, stderr, error } = spawnSync(
      'npm',
      [
        'install',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        '--save-exact',
        `${pin.package}@${pin.version}`,
      ],
      { cwd: own, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], timeout: INSTALL_MS },
    );
    if (status !== 0) return error?.message ?? stderr.trim().slice(-500);
    const { version } = JSON.parse(
      readFileSync(join(own, 'node_modules', pin.package, 'package.json'), 'utf8'),
    ) as { version: string };
    if (version !== pin.version) return `npm installed ${version}`;
    writeFileSync(join(own, '.installed'), version);
    if (!existsSync(folder)) renameSync(own, folder);
    return undefined;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
