import { useCan } from '../api/session.ts';
import { OutageLine } from './outage-line.tsx';
import { SessionEndedBanner } from './session-ended-banner.tsx';

/**
 * What may stand above every page, without being asked for.
 * @param _.quiet if this does not load, nothing is missing
 */
export function Notices(_: { quiet: boolean }) {
  const may = useCan();
  return (
    <>
      <SessionEndedBanner />
      {may('configuration.read') && <OutageLine />}
    </>
  );
}
