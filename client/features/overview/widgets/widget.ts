import type { Capability } from '../../../../shared/capabilities.ts';
import type { Destination } from '../destinations.ts';
import type { GridWidget } from '../grid/arrangement.ts';

/** A widget's fixed properties. */
export interface WidgetFacts extends GridWidget {
  /** Whether it has a chart that can be shown as a table. */
  drawn: boolean;
  /** The page that it summarises, if there is one. */
  destination?: Destination;
  /** Capability required to be offered the widget. */
  needs: Capability;
}

export interface WidgetBodyProps {
  /** Of the widget. */
  id: string;
  /** Shows the numbers as a table instead of a chart. */
  asTable: boolean;
}
