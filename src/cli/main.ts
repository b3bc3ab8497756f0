import { readVersion } from './program/version.ts';

const words = process.argv.slice(2);
// Scripts ask for the version before every use: it is answered before anything else is loaded.
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${readVersion()}\n`);
} else {
  const { runCli } = await import('./program/run-cli.ts');
  const exitCode = await runCli(words);
  process.stdout.write('', () => process.exit(exitCode));
}
