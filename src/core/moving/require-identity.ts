import { AppError } from '../errors.ts';
import { KeyRing } from '../secrets/key-ring.ts';
import { readMasterSeed } from '../secrets/master-seed.ts';

/**
 * The keys of this home, under which both databases have to be written. Throws `configuration` where the seed is missing, or
 * is not the one of the database.
 */
export function requireIdentity(identityFile: string, check: string | undefined): KeyRing {
  const seed = readMasterSeed(identityFile);
  if (!seed)
    throw new AppError(
      'configuration',
      `${identityFile} is missing; the secrets in the database cannot be read without it. Restore it: svc devices identity --restore`,
    );
  const keys = new KeyRing(seed);
  if (check !== undefined && check !== keys.check())
    throw new AppError(
      'configuration',
      `${identityFile} is not the identity under which the database was written. Restore the right one: svc devices identity --restore`,
    );
  return keys;
}
