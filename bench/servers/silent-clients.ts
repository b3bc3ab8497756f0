import { connect } from 'node:net';

/** Connections that say nothing, from several addresses of this machine. */
const { port } = new URL(process.env['BENCH_URL'] ?? '');
const count = Number(process.env['BENCH_COUNT']);
const addresses = (process.env['BENCH_ADDRESSES'] ?? '127.0.0.2').split(',');
const sent = process.env['BENCH_SENT'] ?? '';
let opened = 0;
let open = 0;

function begin(index: number): void {
  const localAddress = addresses[index % addresses.length] ?? '127.0.0.2';
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  socket.resume();
  socket.once('connect', () => {
    opened++;
    open++;
    if (sent !== '') socket.write(sent);
    socket.once('close', () => open--);
  });
}

for (let index = 0; index < count; index++) begin(index);
process.on('message', () => process.send?.({ opened, open }));
process.on('SIGTERM', () => process.exit(0));
process.send?.({ url: '', headers: {} });
