import { readFileSync } from 'node:fs';
import { type LoopbackServer, startLoopbackServer } from '../outbound/loopback-server.ts';

/** A response of a provider, recorded or taken from its documentation; the file says which. */
export interface Recording {
  request: { method: string; path: string };
  response: { status: number; headers: Record<string, string>; body: unknown };
}

export const ownRecording = (name: string): Recording =>
  JSON.parse(
    readFileSync(new URL(`../../fixtures/websearch/${name}.json`, import.meta.url), 'utf8'),
  ) as Recording;

/** Responds to every request with the recording. */
export const play = ({ response: { status, headers, body } }: Recording): Promise<LoopbackServer> =>
  startLoopbackServer((response) => response.writeHead(status, headers).end(JSON.stringify(body)));
