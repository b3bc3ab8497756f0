import { Link } from '@tanstack/react-router';
import { Empty } from '../components/empty.tsx';
import { Page } from '../components/page.tsx';

/** In place of a page that a limited device has no use for. */
export const NotForThisDevice = () => (
  <Page title="Not on this device" isNarrow>
    <Empty>
      <p>
        This device can view tasks, decide on approvals and cancel tasks. For everything else, sign in on
        another one.
      </p>
      <Link to="/" className="button">
        Go to the inbox
      </Link>
    </Empty>
  </Page>
);
