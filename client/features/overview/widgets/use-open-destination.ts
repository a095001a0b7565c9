import { useRouter } from '@tanstack/react-router';
import { useCan } from '../../../api/session.ts';
import type { Destination } from '../destinations.ts';

/** Whether the operator may open a page and this app has a route for it. */
export function useOpenDestination(): (destination: Destination) => Destination | undefined {
  const may = useCan();
  const { routesByPath } = useRouter();
  return (destination) => (destination.to in routesByPath && may(destination.needs) ? destination : undefined);
}
