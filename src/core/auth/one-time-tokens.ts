import type { PendingEntry } from '../audit/pending-entry.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { hashToken } from './hash-token.ts';

/** Tokens that are valid once and for a short time; their data is stored sealed. */
export class OneTimeTokens {
  readonly #deps: { database: Database; box: SecretBox; runtime: Runtime };
  constructor(deps: { database: Database; box: SecretBox; runtime: Runtime }) {
    this.#deps = deps;
  }

  /** Returns the token; only its hash is stored. */
  async issue(
    purpose: string,
    data: object,
    lifetimeMs: number,
    auditEntry?: PendingEntry,
  ): Promise<{ token: string; expiresAt: string }> {
    const { database, box, runtime } = this.#deps;
    const token = runtime.newSecret(32);
    const now = runtime.now();
    const expiresAt = new Date(now.getTime() + lifetimeMs).toISOString();
    const token_hash = hashToken(token);
    const sealed = box.seal(JSON.stringify(data), contextOf(token_hash));
    await database.write(async (transaction) => {
      const { db } = transaction;
      await db.deleteFrom('one_time_tokens').where('expires_at', '<', now.toISOString()).execute();
      await db
        .insertInto('one_time_tokens')
        .values({ token_hash, purpose, data: sealed, expires_at: expiresAt })
        .execute();
      await auditEntry?.append(transaction);
    });
    return { token, expiresAt };
  }

  /** Returns the data of the token to its first use in time; undefined after that. */
  async redeem(purpose: string, token: string): Promise<unknown> {
    const { database, box, runtime } = this.#deps;
    const token_hash = hashToken(token);
    const row = await database.write(({ db }) =>
      db
        .deleteFrom('one_time_tokens')
        .where('token_hash', '=', token_hash)
        .where('purpose', '=', purpose)
        .returning(['data', 'expires_at'])
        .executeTakeFirst(),
    );
    if (!row || row.expires_at <= runtime.now().toISOString()) return undefined;
    return JSON.parse(box.open(row.data, contextOf(token_hash)));
  }
}

const contextOf = (tokenHash: string) => `one_time_tokens:${tokenHash}`;
