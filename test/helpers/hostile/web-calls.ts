import type { HostileCall, HostileScene } from './scene.ts';

/** Hosts that are this machine, in every spelling that some program understands. */
const thisMachine = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '0x7f.1',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '0x0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '127\u30020\u30020\u30021',
  '\u2460\u2461\u2466.0.0.1',
  '%31%32%37.0.0.1',
];

const privateHosts = [
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fc00::1]',
  '[2002:7f00:1::]',
  '[ff02::1]',
  '224.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
  '192.0.0.192',
];

/** Calls of web_fetch to this machine, private networks, the daemon, and things that are no pages. */
export function webCalls({ canaryPort, daemonUrl, outside }: HostileScene): HostileCall[] {
  const ownPort = new URL(daemonUrl).port;
  const refused = [
    ...thisMachine.flatMap((host) => [
      `http://${host}:${canaryPort}/`,
      `http://${host}:${ownPort}/api/health`,
    ]),
    ...privateHosts.flatMap((host) => [`http://${host}/latest/meta-data/`, `https://${host}/`]),
    `http://user:pass@127.0.0.1:${canaryPort}/`,
    `http://127.0.0.1:${canaryPort}\\@example.com/`,
    `http:127.0.0.1:${canaryPort}`,
    `http:\\\\127.0.0.1:${canaryPort}\\`,
    `\thttp://127.0.0.1:${canaryPort}/`,
    `ht\ntp://127.0.0.1:${canaryPort}/`,
    `HTTP://127.0.0.1:${canaryPort}/`,
    `https://127.0.0.1:${canaryPort}/`,
    `file://${outside}/secret.txt`,
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    `gopher://127.0.0.1:${canaryPort}/_x`,
    `ws://127.0.0.1:${canaryPort}/`,
    'data:text/plain,hello',
    'javascript:alert(1)',
    'view-source:http://127.0.0.1/',
    'unix:/var/run/docker.sock',
    '//127.0.0.1/',
    '127.0.0.1',
    '',
    'x'.repeat(3000),
  ];
  // Names are looked up when the call runs.
  const looked = ['localhost', 'LOCALHOST', 'localhost.', 'localhost.localdomain'];
  return [
    ...refused.map((url): HostileCall => ({ name: 'web_fetch', args: { url }, ends: 'never' })),
    ...looked.flatMap((host) =>
      [canaryPort, ownPort].map((port): HostileCall => ({
        name: 'web_fetch',
        args: { url: `http://${host}:${port}/api/health` },
        ends: 'fails',
      })),
    ),
    { name: 'web_search', args: { query: 'anything' }, ends: 'never' },
  ];
}
