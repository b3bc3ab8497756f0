import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { visibleLine } from '../../contract/visible-text.ts';
import { useIsAdmin } from '../queries/use-is-admin.ts';

/** A command that changes a setting or a model provider, with its value if it has one. */
const command =
  /svc (?:config set ([a-z][\w.]*\w)(?: (?![(,])\S+)?|providers (?:configure|ls|default|models)(?: [\w-]+)*)/gi;

/**
 * A line of the daemon. Where it names a command, an administrator gets a link to the page that does the same, and anybody
 * else reads who can do it.
 */
export function WithSettings({ text }: { text: string }) {
  const isAdmin = useIsAdmin();
  const line = visibleLine(text);
  const parts: ReactNode[] = [];
  let end = 0;
  for (const found of line.matchAll(command)) {
    const [whole, key] = found;
    parts.push(
      line.slice(end, found.index),
      !isAdmin ? (
        `ask an administrator to ${key === undefined ? 'connect a model provider' : `set ${key}`}`
      ) : key === undefined ? (
        <Link key={found.index} to="/settings/models">
          Settings, Models
        </Link>
      ) : (
        <Link key={found.index} to="/settings/configuration" search={{ q: key }}>
          set {key}
        </Link>
      ),
    );
    end = found.index + whole.length;
  }
  return (
    <>
      {parts}
      {line.slice(end)}
    </>
  );
}
