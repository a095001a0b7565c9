import type { SessionLocations } from '../../../../shared/locations.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { pointIn, type SessionsSearch } from '../session-question.ts';
import { placeName } from './place-choices.ts';

/**
 * What narrows a search, in words, each with the name of its filter.
 * @param locations undefined until they have loaded; then a place is named by its degrees
 */
export function describeFilters(
  search: SessionsSearch,
  locations: Pick<SessionLocations, 'points'> | undefined,
): { name: 'q' | 'active' | 'place' | 'device'; label: string }[] {
  const { q, device, active } = search;
  const point = pointIn({ ...search });
  const labels = {
    q: q && `person “${visibleText(q)}”`,
    active: active && 'active',
    place: point && placeName(locations, point),
    device: device && `device “${visibleText(device)}”`,
  };
  return Object.entries(labels).flatMap(([name, label]) =>
    label === undefined ? [] : [{ name: name as keyof typeof labels, label }],
  );
}
