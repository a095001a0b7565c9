import assert from 'node:assert/strict';
import { ifMatch } from '../../server/http/if-match.ts';

describe('what If-Match asks of a resource', () => {
  const fits = (header: string | undefined): boolean => ifMatch(header)('"1"');

  it('is one of its tags by strong comparison', () => {
    for (const header of [undefined, '*', ' * ', '"1"', ' "0" , "1"', 'W/"0", "1"'])
      assert.equal(fits(header), true, header);
    for (const header of [
      '',
      '1',
      'W/"1"',
      '"2"',
      '"1',
      '"1"x',
      'x"1"',
      '"1", nonsense',
      '"1",',
      '*, "1"',
      '"a"b", "1"',
    ])
      assert.equal(fits(header), false, header);
  });
});
