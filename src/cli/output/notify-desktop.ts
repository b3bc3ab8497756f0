import type { Platform } from '../../contract/locations.ts';

/** The text is an argument of the script and never part of it. */
const script = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
];

/**
 * Shows a notification on the desktop of the person at this machine. Never waits and never fails: without a desktop, or
 * over SSH, where it would appear elsewhere, nothing happens.
 */
export function notifyDesktop(platform: Platform, text: string): void {
  const [program, ...args] = commandFor(platform, text);
  if (program === undefined) return;
  const { spawn } = process.getBuiltinModule('node:child_process');
  try {
    const options = { detached: true, stdio: 'ignore', env: platform.env } as const;
    // The program may be missing, and then there is nothing to do.
    spawn(program, args, options)
      .on('error', () => undefined)
      .unref();
  } catch {
    // The system has no process to spare: a notification is not worth an error.
  }
}

function commandFor({ env, platform }: Platform, text: string): string[] {
  if (env['SSH_CONNECTION'] || env['SSH_CLIENT'] || env['SSH_TTY']) return [];
  if (platform === 'darwin') return ['osascript', ...script.flatMap((line) => ['-e', line]), 'svc', text];
  // The summary is plain text; in a body, some desktops would read markup.
  if (env['DISPLAY'] || env['WAYLAND_DISPLAY'])
    return ['notify-send', '--app-name=svc', '--', `svc: ${text}`];
  return [];
}
