import type { BulkAct, BulkSubject } from '../../../client/list/bulk-run.ts';
import { PLANET_PAGES_KEY, type Planet, STORED } from './planet-queries.ts';
import { PLANETS } from './planet-resource.ts';

export const ACTS: Record<'leave', BulkAct<Planet>> = {
  leave: {
    title: 'Leave',
    running: 'Leaving',
    done: 'left',
    consequence: 'Nobody comes back.',
    details: [],
    final: false,
    grave: true,
    act: async ({ id }) => {
      STORED.delete(id);
      return undefined;
    },
  },
};

export const SUBJECT: BulkSubject<Planet> = {
  name: PLANETS,
  nameOf: ({ name }) => name,
  nameColumn: 'planet',
  invalidate: (queryClient) => void queryClient.invalidateQueries({ queryKey: PLANET_PAGES_KEY }),
};
