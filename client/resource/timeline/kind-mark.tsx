import type { Icon } from '../../ui/icon.tsx';
import { IconChecklist, IconDevices, IconFileDescription, IconLock, IconMail } from '../../ui/icons.ts';
import { IconHistory } from '../icons.ts';
import classes from './timeline.module.css';
import type { TimelineKind } from './timeline-kinds.ts';

const ICONS: Record<TimelineKind, Icon> = {
  trail: IconHistory,
  record: IconFileDescription,
  sessions: IconDevices,
  messages: IconMail,
  consents: IconChecklist,
  locks: IconLock,
};

/** The icon of a kind; the words beside it say the same. */
export function KindMark({ kind }: { kind: TimelineKind }) {
  const Icon = ICONS[kind];
  return (
    <span className={classes.mark} data-kind={kind}>
      <Icon size={16} />
    </span>
  );
}
