import { dirname, join, resolve } from 'node:path';
import { isInside, realPlace } from '../../paths/real-path.ts';
import { quoteText } from '../../text/show-name.ts';
import { isToolFailure } from '../tool.ts';
import type { Guard, GuardedCall } from './guard.ts';
import { isSecretPlace } from '../../paths/secret-places.ts';
import { folderOfWords, pathsOfWord, wordsOfCall } from './words-of-call.ts';

/** Keeps every tool from secrets, and from the folders of the daemon, which are given as real places. */
export function secretExfiltration({ protectedFolders }: { protectedFolders: string[] }): Guard {
  return {
    name: 'secret-exfiltration',
    async check(call) {
      try {
        return await findSecret(call, protectedFolders);
      } catch (error) {
        if (isToolFailure(error)) return error.message;
        throw error;
      }
    },
  };
}

/**
 * Whether a real place is the daemon's own. Below its `workspaces`, the folder of the call itself is not; those of others
 * are.
 */
export const isProtectedPlace = (place: string, protectedFolders: string[], workspace: string): boolean =>
  protectedFolders.some((folder) => {
    if (!isInside(folder.toLowerCase(), place.toLowerCase())) return false;
    const isOwn = dirname(workspace) === join(folder, 'workspaces') && isInside(workspace, place);
    return !isOwn;
  });

async function findSecret(call: GuardedCall, protectedFolders: string[]): Promise<string | undefined> {
  const { workspace } = call.context;
  const isKept = (place: string) =>
    isSecretPlace(place) || isProtectedPlace(place, protectedFolders, workspace);
  for (const { given, real } of call.paths)
    if (isKept(real) || isKept(resolve(workspace, given))) return refusal(given);
  const words = wordsOfCall(call);
  const base = words.length > 0 ? await folderOfWords(call) : workspace;
  for (const word of words) {
    const possible = pathsOfWord(word);
    if (!possible) return 'A word may hold too many paths to be checked for secrets';
    for (const { path, as } of possible) {
      const named = resolve(base, path);
      const real = await realPlace(base, path);
      // What an address on the network is called says nothing; where a folder of that name leads does.
      if (isKept(real) && (as !== 'url' || real !== named)) return refusal(word.text);
      if (as !== 'url' && isKept(named)) return refusal(word.text);
    }
  }
  return undefined;
}

const refusal = (text: string) => `${quoteText(text)} leads to where secrets are kept`;
