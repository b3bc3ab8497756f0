import { useEffect, useState } from 'react';
import { live } from '../live/live-feed.ts';

/** Says that the daemon is newer than this page. Never reloads by itself: somebody may be typing. */
export function VersionBanner() {
  const [isOld, setOld] = useState(false);
  useEffect(() => {
    let first: string | undefined;
    const stop = live.onMessage((message) => {
      if (message.type !== 'hello' || !('version' in message)) return;
      const version = String(message.version);
      first ??= version;
      if (version !== first) setOld(true);
    });
    const onMissing = () => setOld(true);
    // A part of the page that is loaded late is gone: it belongs to an older build.
    addEventListener('svc:missing-part', onMissing);
    return () => {
      stop();
      removeEventListener('svc:missing-part', onMissing);
    };
  }, []);
  if (!isOld) return null;
  return (
    <div className="banner" role="status">
      svc was updated.
      <button type="button" className="button" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  );
}
