import type { Capability } from '../../../../shared/capabilities.ts';
import type { Destination } from '../destinations.ts';
import type { GridWidget } from '../grid/arrangement.ts';

/** What is true of a widget whatever it shows. */
export interface WidgetFacts extends GridWidget {
  /** Whether there is something drawn that can be a table. */
  drawn: boolean;
  /** The page it summarises. */
  destination: Destination;
  /** Who has not is not offered it; undefined for everybody's. */
  needs?: Capability;
}

export interface WidgetBodyProps {
  /** Whether the numbers are shown as a table instead of drawn. */
  asTable: boolean;
}
