import { stringifySetCookie } from 'cookie';
import { problemCookie } from '../contract/locations.ts';
import { AppError } from '../core/errors.ts';
import { type CallerServices, isSecure } from './credentials.ts';
import { type Context, Redirect } from './implement.ts';
import type { App } from '../core/app.ts';

/** The page shows the sentence once and removes it. */
const MAX_SECONDS = 60;

/**
 * Redirects as `run` answers. What is refused to a person at a browser is shown on the sign-in page in the words of the error;
 * a cookie carries them, because anyone could write them into an address.
 */
export async function redirectPerson(
  app: CallerServices & Pick<App, 'config'>,
  { request, reply }: Pick<Context, 'request' | 'reply'>,
  run: () => Promise<string>,
): Promise<Redirect> {
  try {
    return new Redirect(await run());
  } catch (error) {
    const isPerson = request.headers.accept?.includes('text/html') ?? false;
    if (!isPerson || !(error instanceof AppError)) throw error;
    reply.header(
      'set-cookie',
      stringifySetCookie({
        name: problemCookie,
        value: error.message,
        path: '/',
        sameSite: 'lax',
        maxAge: MAX_SECONDS,
        secure: isSecure(app, request),
      }),
    );
    return new Redirect('/sign-in');
  }
}
