import { lazyPart } from '../components/lazy-part.ts';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { ownPath } from '../../contract/own-path.ts';
import { isForLimited, useIsLimited } from '../components/limited.tsx';
import { Problem } from '../components/problem.tsx';
import { UndoList } from '../components/undo.tsx';
import { live } from '../live/live-feed.ts';
import { onSignedOut, queryClient } from '../queries/query-client.ts';
import { sessionQuery } from '../queries/session.ts';
import { Navigation } from './navigation.tsx';
import { useShortcuts } from './shortcuts.ts';
import { VersionBanner } from './version-banner.tsx';
import styles from './shell.module.css';

const SignIn = lazyPart(() => import('./sign-in.tsx'), 'SignIn');
const SignInOver = lazyPart(() => import('./sign-in.tsx'), 'SignInOver');
const SignInPage = lazyPart(() => import('./sign-in-page.tsx'), 'SignInPage', false);
const Palette = lazyPart(() => import('./palette.tsx'), 'Palette');
const PairPage = lazyPart(() => import('../pages/pair/pair.tsx'), 'PairPage', false);
const NotForThisDevice = lazyPart(() => import('./not-for-this-device.tsx'), 'NotForThisDevice');
const ShortcutHelp = lazyPart(() => import('./shortcut-help.tsx'), 'ShortcutHelp');

onSignedOut(() => void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }));

/** What surrounds every page. Who is not signed in sees how to; over the page, where one is open already. */
export function Shell() {
  const session = useQuery(sessionQuery);
  const isLimited = useIsLimited();
  const [overlay, setOverlay] = useState<'palette' | 'keys'>();
  const isIn = session.data?.authenticated === true;
  const user = session.data?.authenticated ? session.data.user.id : undefined;
  const lastUser = useRef<string>(undefined);
  useEffect(() => {
    if (user === undefined) return;
    // Somebody else must not see what this page has read.
    if (lastUser.current !== undefined && lastUser.current !== user) location.assign('/');
    lastUser.current = user;
    live.connect();
  }, [user]);
  useEffect(
    () =>
      live.onState(() => {
        if (live.state() === 'signed-out')
          void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      }),
    [],
  );
  useShortcuts({ isOn: isIn && !overlay, open: setOverlay });
  useTop();
  const close = () => setOverlay(undefined);

  const { path, href } = useRouterState({
    select: ({ location }) => ({ path: location.pathname, href: location.href }),
    structuralSharing: true,
  });
  if (path === '/sign-in')
    return (
      <Suspense>
        <SignInPage session={session.data} />
      </Suspense>
    );
  if (path === '/sign-up') return <Outlet />;
  if (path === '/pair')
    return (
      <Suspense>
        <PairPage />
      </Suspense>
    );
  if (session.isPending) return null;
  if (session.error && !session.data)
    return (
      <main className="page narrow">
        <h1>svc</h1>
        <Problem error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  if (!session.data) return null;
  if (!session.data.authenticated && lastUser.current === undefined)
    return (
      <Suspense>
        <SignIn session={session.data} returnTo={ownPath(href)} />
      </Suspense>
    );
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#main">
        Skip to content
      </a>
      <Navigation onPalette={() => setOverlay('palette')} />
      <main className={styles['main']} id="main" tabIndex={-1}>
        <VersionBanner />
        {isLimited && !isForLimited(path) ? (
          <Suspense>
            <NotForThisDevice />
          </Suspense>
        ) : (
          <Outlet />
        )}
      </main>
      <UndoList />
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'keys' && <ShortcutHelp onClose={close} />}
      </Suspense>
      <Suspense>
        {!session.data.authenticated && <SignInOver session={session.data} returnTo={ownPath(href)} />}
      </Suspense>
    </div>
  );
}

/** A new page begins at its top; going back restores where one was. */
function useTop(): void {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    // A page without a heading of its own that takes the focus.
    if (document.activeElement === document.body) document.getElementById('main')?.focus();
  }, [path]);
}
