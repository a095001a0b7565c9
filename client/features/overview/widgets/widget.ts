import type { ComponentType } from 'react';
import type { Capability } from '../../../../shared/capabilities.ts';
import type { Destination } from '../destinations.ts';
import type { GridWidget } from '../grid/arrangement.ts';

export interface WidgetBodyProps {
  /** Whether the numbers are shown as a table instead of drawn. */
  asTable: boolean;
}

export interface Widget extends GridWidget {
  Body: ComponentType<WidgetBodyProps>;
  /** Whether there is something drawn that can be a table. */
  drawn: boolean;
  /** The page it summarises. */
  destination: Destination;
  /** Who has not is not offered it; undefined for everybody's. */
  needs?: Capability;
}
