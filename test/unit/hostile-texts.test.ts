import { readsInLinearTime } from '../support/linear-time.ts';

describe('text from outside is read in linear time', () => readsInLinearTime('common'));
