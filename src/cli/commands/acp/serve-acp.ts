import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { formatError } from '../../errors/report-error.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { readVersion } from '../../program/version.ts';
import { createAcpAgent } from './acp-agent.ts';

export interface AcpOptions {
  agent?: string;
  model?: string;
  mode?: SecurityMode;
}

/** `svc acp`: serves one editor on stdin and stdout until it closes them; everything else goes to stderr. */
export async function serveAcp(cli: Cli, { agent, model, mode }: AcpOptions): Promise<ExitCode> {
  const { output } = cli;
  const { app, close } = createAcpAgent({
    connection: cli.connect(),
    settings: { isAgentic: false, agent, model },
    mode,
    version: readVersion(),
    formatError: (error) => formatError(error, cli),
    log: (text) => output.note(`svc acp: ${escapeLine(text)}`),
  });
  const stream = ndJsonStream(
    Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  );
  const { signal, closed } = app.connect(stream);
  const left = Promise.withResolvers<void>();
  // At once, so that open questions are taken back before they fail for want of an editor.
  signal.addEventListener('abort', () => void close().then(left.resolve, left.reject), { once: true });
  await closed;
  await left.promise;
  return exitCodes.done;
}
