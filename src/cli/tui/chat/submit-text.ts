import { attach } from '../../../contract/attachments.ts';
import type { ChatSession } from './chat-session.ts';
import type { LocalCommands } from './local-commands.ts';
import { attachMentioned } from './mentions.ts';
import { parseSlash, type SlashName } from './slash-commands.ts';

export interface SubmitParts {
  folder: string;
  session: ChatSession;
  local: LocalCommands;
  runSlash: (name: SlashName, argument: string) => void;
  /** Says why something stays in the box. */
  remark: (text: string) => void;
}

/** Does what was written: a command of the chat, one for the shell, or a message; false leaves it in the box. */
export function submitText(text: string, { folder, session, local, runSlash, remark }: SubmitParts): boolean {
  if (text.trim() === '') return session.sendQueued();
  const slash = text.startsWith('/') ? parseSlash(text) : undefined;
  if (slash && 'unknown' in slash) {
    const meant = slash.meant === undefined ? 'List all: /help' : `Did you mean /${slash.meant}?`;
    remark(`There is no /${slash.unknown}. ${meant}`);
    return false;
  }
  if (slash) {
    runSlash(slash.name, slash.argument);
    return true;
  }
  const command = /^!\s*(\S.*)$/s.exec(text)?.[1];
  if (command !== undefined) {
    const isBusy = local.isRunning;
    if (isBusy) remark('A command is running. Press Esc to stop it.');
    else void local.run(command.trim());
    return !isBusy;
  }
  const mentioned = attachMentioned(text, folder);
  if ('refusal' in mentioned) {
    remark(mentioned.refusal);
    return false;
  }
  session.submit({ text, content: attach(text, [...mentioned.attachments, ...local.take()]) });
  return true;
}
