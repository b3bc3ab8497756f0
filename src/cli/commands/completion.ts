import { required } from '../program/arguments.ts';
import { defineCommand } from '../program/define-command.ts';
import { choice } from '../program/value-type.ts';

export const completion = defineCommand({
  name: 'completion',
  summary: 'Print a shell completion script',
  examples: [
    'eval "$(svc completion bash)"',
    'svc completion zsh > ~/.zfunc/_svc',
    'svc completion fish > ~/.config/fish/completions/svc.fish',
  ],
  args: { shell: required(choice(['bash', 'zsh', 'fish']), 'Shell') },
  run: async ({ cli, args }) =>
    cli.output.write((await import('../completion/scripts.ts')).scripts[args.shell]),
});
