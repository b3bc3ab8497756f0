import { render } from 'ink';
import type { Cli } from '../../program/cli.ts';
import type { ExitCode } from '../../errors/exit-codes.ts';
import { formatError } from '../../errors/report-error.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { colouredTheme, plainTheme, ThemeContext } from '../parts/theme.tsx';
import { WatchApp } from './watch-app.tsx';

/** `svc tasks watch` on a terminal: full-screen, until the user quits. */
export async function watchOnTerminal(cli: Cli, text?: string): Promise<void> {
  const connection = cli.connect();
  // Errors of the daemon or the ID are reported before the screen is taken over.
  await connection.client.queue.getStatus();
  const taskId = text === undefined ? undefined : await resolveId(text, idsOf(connection.client, 'task'));
  const theme = cli.platform.env['NO_COLOR'] ? plainTheme : colouredTheme;
  const app = render(
    <ThemeContext value={theme}>
      <WatchApp
        connection={connection}
        formatError={(error) => formatError(error, cli)}
        {...(taskId !== undefined && { taskId })}
        now={Date.now}
        clock={() => performance.now()}
      />
    </ThemeContext>,
    { alternateScreen: true, incrementalRendering: true, exitOnCtrlC: false, interactive: true },
  );
  cli.exitCode = (await app.waitUntilExit()) as ExitCode;
}
