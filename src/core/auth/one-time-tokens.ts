import type { SecretBox } from '../secrets/secret-box.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { hashToken } from './hash-token.ts';

/** Secrets that are good for one use and a short time; what they stand for is kept sealed. */
export class OneTimeTokens {
  readonly #deps: { database: Database; box: SecretBox; runtime: Runtime };
  constructor(deps: { database: Database; box: SecretBox; runtime: Runtime }) {
    this.#deps = deps;
  }

  /** Answers the token; only its hash is stored. */
  async issue(
    purpose: string,
    data: object,
    lifetimeMs: number,
  ): Promise<{ token: string; expiresAt: string }> {
    const { database, box, runtime } = this.#deps;
    const token = runtime.newSecret(32);
    const now = runtime.now();
    const expiresAt = new Date(now.getTime() + lifetimeMs).toISOString();
    const token_hash = hashToken(token);
    const sealed = box.seal(JSON.stringify(data), placeOf(token_hash));
    await database.write(async ({ db }) => {
      await db.deleteFrom('one_time_tokens').where('expires_at', '<', now.toISOString()).execute();
      await db
        .insertInto('one_time_tokens')
        .values({ token_hash, purpose, data: sealed, expires_at: expiresAt })
        .execute();
    });
    return { token, expiresAt };
  }

  /** What the token stands for, to the first who asks in time; undefined to everybody else. */
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
    return JSON.parse(box.open(row.data, placeOf(token_hash)));
  }
}

const placeOf = (tokenHash: string) => `one_time_tokens:${tokenHash}`;
