import type { ToolInfo, ToolServer } from '../../../contract/tools.ts';
import type { Cli } from '../../program/cli.ts';

/** `svc tools ls`. */
export async function listTools(
  cli: Cli,
  { json, quiet }: { json?: boolean; quiet?: boolean },
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.tools.list();
  if (json) return output.json(answer);
  const { tools, servers } = answer;
  if (quiet) return output.write(tools.map(({ name }) => `${name}\n`).join(''));
  if (tools.length === 0) output.note('No tools.');
  else
    output.table<ToolInfo>(
      [
        { title: 'NAME', value: ({ name }) => name },
        { title: 'KIND', value: kindOf },
        {
          title: 'RISK',
          value: ({ danger }) => danger,
          paint: (cell, { danger }) => output.paint(colours[danger], cell),
        },
        {
          title: 'STATE',
          value: ({ available, reason = 'not available' }) => (available ? 'available' : reason),
          isElastic: true,
          paint: (cell, { available }) => output.paint(available ? 'green' : 'yellow', cell),
        },
        {
          title: 'DESCRIPTION',
          value: ({ description }) => description.split('\n')[0] ?? '',
          isElastic: true,
          fromWidth: 110,
        },
      ],
      tools,
    );
  if (servers.length > 0) listServers(cli, servers);
}

function listServers({ output }: Cli, servers: ToolServer[]): void {
  output.write('\n');
  output.table<ToolServer>(
    [
      { title: 'MCP SERVER', value: ({ name }) => name },
      { title: 'TRANSPORT', value: ({ transport }) => transport },
      { title: 'TOOLS', value: ({ tools }) => String(tools), align: 'right' },
      {
        title: 'STATE',
        value: ({ connected, message }) =>
          [connected ? 'connected' : 'not connected', message].filter(Boolean).join(': '),
        isElastic: true,
        paint: (cell, { connected }) => output.paint(connected ? 'green' : 'red', cell),
      },
    ],
    servers,
  );
}

const kindOf = ({ source, server, readOnly }: ToolInfo) =>
  `${source === 'mcp' ? `mcp ${server ?? ''}`.trimEnd() : 'built-in'}, ${readOnly ? 'read-only' : 'read-write'}`;

const colours = { low: 'dim', medium: 'yellow', high: 'red' } as const satisfies Record<
  ToolInfo['danger'],
  string
>;
