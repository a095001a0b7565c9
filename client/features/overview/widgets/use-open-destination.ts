import { useRouter } from '@tanstack/react-router';
import { useCan } from '../../../api/session.ts';
import type { Destination } from '../destinations.ts';

/** Whether the operator gets anywhere with it: the page is theirs, and is among this app's routes. */
export function useOpenDestination(): (destination: Destination) => Destination | undefined {
  const may = useCan();
  const { routesByPath } = useRouter();
  return (destination) =>
    destination.to in routesByPath && (destination.needs === undefined || may(destination.needs))
      ? destination
      : undefined;
}
