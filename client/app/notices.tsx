import { useCan } from '../api/session.ts';
import { OutageLine } from './outage-line.tsx';
import { SessionBanner } from './session-banner.tsx';

/**
 * What may stand above every page, without being asked for.
 * @param _.quiet if this does not load, nothing is missing
 */
export function Notices(_: { quiet: boolean }) {
  const may = useCan();
  return (
    <>
      <SessionBanner />
      {may('configuration.read') && <OutageLine />}
    </>
  );
}
