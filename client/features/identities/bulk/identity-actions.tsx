import { type ComponentProps, useRef } from 'react';
import { lazyDialog } from '../../../ui/loading/lazy-part.tsx';
import type { IdentityBar } from './identity-bar.tsx';

const Bar = lazyDialog(() => import('./identity-bar.tsx'), 'IdentityBar');

/** The bar below the list, loaded with the first choice of a row. From then on it stays: its dialog may be open. */
export function IdentityActions(props: ComponentProps<typeof IdentityBar>) {
  const needed = useRef(false);
  needed.current ||= props.selection.rows.length > 0;
  return needed.current && <Bar {...props} />;
}
