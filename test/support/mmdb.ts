type Value = string | number | readonly Value[] | { [name: string]: Value };
/** A record of the search tree: the number of another node, the offset of a value in the data section, or nothing. */
type Entry = { node: number } | { data: number } | undefined;

interface MmdbOptions {
  ipVersion: 4 | 6;
  /** Values by CIDR range; a range comes after the one that contains it. Both versions accept IPv4 ranges. */
  networks: Record<string, Value>;
  builtAt?: Date;
}

/** The bytes of a MaxMind DB (format specification 2.0, records of 24 bits). */
export function mmdb({ ipVersion, networks, builtAt = new Date(0) }: MmdbOptions): Buffer {
  const nodes: [Entry, Entry][] = [[undefined, undefined]];
  const data: Buffer[] = [];
  let dataBytes = 0;
  for (const [network, value] of Object.entries(networks)) {
    insert(bitsOf(network, ipVersion), { data: dataBytes });
    const bytes = encode(value);
    data.push(bytes);
    dataBytes += bytes.length;
  }

  function insert(bits: readonly number[], entry: Entry): void {
    let at = 0;
    for (const [depth, bit] of bits.entries()) {
      const node = nodes[at];
      if (node === undefined) throw new Error('no such node');
      if (depth === bits.length - 1) {
        node[bit === 0 ? 0 : 1] = entry;
        return;
      }
      const next = node[bit === 0 ? 0 : 1];
      if (next !== undefined && 'node' in next) at = next.node;
      else {
        at = nodes.push([next, next]) - 1;
        node[bit === 0 ? 0 : 1] = { node: at };
      }
    }
  }

  // A pointer into the data section counts from the last node of the tree, including the sixteen zeros in between.
  const recordOf = (entry: Entry): number =>
    entry === undefined ? nodes.length : 'node' in entry ? entry.node : nodes.length + 16 + entry.data;
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [index, [left, right]] of nodes.entries()) {
    tree.writeUIntBE(recordOf(left), index * 6, 3);
    tree.writeUIntBE(recordOf(right), index * 6 + 3, 3);
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: Math.floor(builtAt.getTime() / 1000),
    database_type: 'Test',
    description: {},
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), metadata]);
}

function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', length] = network.split('/');
  const v4 = !address.includes(':');
  const bytes = v4 ? address.split('.').map(Number) : bytesOfV6(address);
  const bits = bytes.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (byte >> bit) & 1));
  const own = bits.slice(0, length === undefined ? undefined : Number(length));
  // In an IPv6 tree, an IPv4 address is ::a.b.c.d.
  return v4 && ipVersion === 6 ? [...Array<number>(96).fill(0), ...own] : own;
}

function bytesOfV6(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part = ''): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const zeros = Array<number>(8 - groups(head).length - groups(tail).length).fill(0);
  return [...groups(head), ...zeros, ...groups(tail)].flatMap((group) => [group >> 8, group & 255]);
}

const TYPE = { string: 2, double: 3, uint32: 6, map: 7, array: 11 };

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(TYPE.string, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return Buffer.concat([control(TYPE.array, value.length), ...value.map(encode)]);
  const members = Object.entries(value);
  return Buffer.concat([
    control(TYPE.map, members.length),
    ...members.flatMap(([name, own]) => [encode(name), encode(own)]),
  ]);
}

/** Encodes a number as an unsigned integer if it is one, otherwise as a double. */
function number(value: number): Buffer {
  const isUnsigned = Number.isInteger(value) && value >= 0;
  const bytes = Buffer.alloc(isUnsigned ? 4 : 8);
  if (isUnsigned) bytes.writeUInt32BE(value);
  else bytes.writeDoubleBE(value);
  return Buffer.concat([control(isUnsigned ? TYPE.uint32 : TYPE.double, bytes.length), bytes]);
}

/** The control byte of a value of up to 284 bytes. A type above 7 follows it in a byte of its own. */
function control(type: number, size: number): Buffer {
  const short = Math.min(size, 29);
  const long = size < 29 ? [] : [size - 29];
  return Buffer.from(type > 7 ? [short, type - 7, ...long] : [(type << 5) | short, ...long]);
}
