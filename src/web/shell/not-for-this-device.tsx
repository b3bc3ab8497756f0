import { Link } from '@tanstack/react-router';
import { Page } from '../components/page.tsx';

/** In place of a page that a limited device has no use for. */
export const NotForThisDevice = () => (
  <Page title="Not on this device" isNarrow>
    <p>
      This device may only look, decide on approvals and cancel tasks. For everything else, sign in on another
      one.
    </p>
    <Link to="/" className="button">
      Back to the inbox
    </Link>
  </Page>
);
