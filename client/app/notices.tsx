import { useCan } from '../api/session.ts';
import { OutageLine } from './outage-line.tsx';
import { SessionBanner } from './session-banner.tsx';

/** What may stand above every page. */
export function Notices() {
  const may = useCan();
  return (
    <>
      <SessionBanner />
      {may('configuration.read') && <OutageLine />}
    </>
  );
}
