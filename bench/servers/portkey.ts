import { freePort } from '../free-port.ts';

/** Portkey's gateway, told by its headers to ask the model of the bench. */
const port = await freePort();
process.argv.push(`--port=${port}`, '--headless');
const { fetch, Response } = globalThis;
// It writes into the headers of what it fetched, which newer versions of its HTTP server no longer make possible.
globalThis.fetch = async (...asked) => {
  const answer = await fetch(...asked);
  return new Response(answer.body, answer);
};
await import('@portkey-ai/gateway/build/start-server.js');
process.on('message', () => process.send?.(process.cpuUsage()));
process.on('SIGTERM', () => process.exit(0));
process.send?.({
  url: `http://127.0.0.1:${port}`,
  headers: {
    authorization: 'Bearer bench',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${process.env['BENCH_MODEL']}/v1`,
  },
});
