// Unpacks what `cargo xtask dist` has packed: a file of the format LZMA ("LZMA_Alone").
//
// Written from the LZMA specification (https://www.7-zip.org/sdk.html). A binary decision has a probability
// of 11 bits that learns from each outcome; the range decoder halves its range by it. From decisions, bytes are built:
// literals, and matches `[distance, length]` of what is there already.

/**
 * The bytes that `packed` holds, or an `Error` when it is damaged: the range decoder of a whole file ends at zero,
 * and with its last byte.
 */
function unpack(packed) {
  "use strict";
  const damaged = () => {
    throw new Error("the packed module is damaged");
  };
  const header = new DataView(packed.buffer, packed.byteOffset);
  // The first byte: `(pb * 5 + lp) * 9 + lc`. Then the size of the dictionary, and that of the content in 8 bytes.
  if (packed.length < 18) damaged();
  const literalContext = packed[0] % 9;
  const literalPosition = ((packed[0] / 9) | 0) % 5;
  const position = (packed[0] / 45) | 0;
  const size = header.getUint32(5, true);
  const out = new Uint8Array(size);
  const positionMask = (1 << position) - 1;
  const literalMask = (1 << literalPosition) - 1;

  // All probabilities in one array, each kind from its own place on.
  let places = 0;
  const place = (count) => (places += count) - count;
  const IS_MATCH = place(12 << 4);
  const IS_REP = place(12);
  const IS_REP0 = place(12);
  const IS_REP1 = place(12);
  const IS_REP2 = place(12);
  const IS_REP0_LONG = place(12 << 4);
  const SLOT = place(4 << 6);
  const SPECIAL = place(128);
  const ALIGN = place(16);
  // Two choices, eight lengths for each position twice, 256 others.
  const LENGTH = place(2 + (32 << 3) + 256);
  const REP_LENGTH = place(2 + (32 << 3) + 256);
  const LITERAL = place(0x300 << (literalContext + literalPosition));
  const probabilities = new Uint16Array(places).fill(1024);

  let at = 18;
  // Of the range decoder: its range and, in it, its code. Numbers of 32 bits are fast in such an array only.
  const coder = new Uint32Array([-1, header.getUint32(14)]);

  const next = () => {
    if (coder[0] < 0x1000000) {
      coder[0] <<= 8;
      coder[1] = (coder[1] << 8) | packed[at++];
    }
  };
  const bit = (index) => {
    const probability = probabilities[index];
    const bound = (coder[0] >>> 11) * probability;
    const result = coder[1] < bound ? 0 : 1;
    if (result) {
      coder[0] -= bound;
      coder[1] -= bound;
      probabilities[index] = probability - (probability >> 5);
    } else {
      coder[0] = bound;
      probabilities[index] = probability + ((2048 - probability) >> 5);
    }
    next();
    return result;
  };
  const tree = (base, bits) => {
    let node = 1;
    for (let i = bits; i--; ) node = (node << 1) | bit(base + node);
    return node - (1 << bits);
  };
  const reversed = (base, bits) => {
    let [node, value] = [1, 0];
    for (let i = 0; i < bits; i++) {
      const next = bit(base + node);
      node = (node << 1) | next;
      value |= next << i;
    }
    return value;
  };
  const direct = (bits) => {
    let value = 0;
    while (bits--) {
      coder[0] >>>= 1;
      const one = coder[1] >= coder[0] ? 1 : 0;
      if (one) coder[1] -= coder[0];
      value = (value << 1) | one;
      next();
    }
    return value;
  };
  const length = (base, here) => {
    if (!bit(base)) return tree(base + 2 + (here << 3), 3);
    if (!bit(base + 1)) return 8 + tree(base + 130 + (here << 3), 3);
    return 16 + tree(base + 258, 8);
  };

  let [rep0, rep1, rep2, rep3, state, done] = [0, 0, 0, 0, 0, 0];
  while (done < size) {
    const here = done & positionMask;
    if (!bit(IS_MATCH + (state << 4) + here)) {
      const before = done ? out[done - 1] : 0;
      const base = LITERAL + 0x300 * (((done & literalMask) << literalContext) + (before >> (8 - literalContext)));
      let symbol = 1;
      if (state > 6) {
        let match = out[done - rep0 - 1];
        while (symbol < 256) {
          const expected = (match >> 7) & 1;
          match <<= 1;
          const next = bit(base + ((1 + expected) << 8) + symbol);
          symbol = (symbol << 1) | next;
          if (expected !== next) break;
        }
      }
      while (symbol < 256) symbol = (symbol << 1) | bit(base + symbol);
      out[done++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (bit(IS_REP + state)) {
      if (!bit(IS_REP0 + state)) {
        if (!bit(IS_REP0_LONG + (state << 4) + here)) count = 1;
      } else {
        let distance = rep1;
        if (bit(IS_REP1 + state)) {
          distance = rep2;
          if (bit(IS_REP2 + state)) {
            distance = rep3;
            rep3 = rep2;
          }
          rep2 = rep1;
        }
        rep1 = rep0;
        rep0 = distance;
      }
      if (count) state = state < 7 ? 9 : 11;
      else {
        count = 2 + length(REP_LENGTH, here);
        state = state < 7 ? 8 : 11;
      }
    } else {
      [rep3, rep2, rep1] = [rep2, rep1, rep0];
      count = 2 + length(LENGTH, here);
      state = state < 7 ? 7 : 10;
      const slot = tree(SLOT + (Math.min(count - 2, 3) << 6), 6);
      rep0 = slot;
      if (slot > 3) {
        const bits = (slot >> 1) - 1;
        rep0 = (2 | (slot & 1)) << bits;
        if (slot < 14) rep0 += reversed(SPECIAL + rep0 - slot, bits);
        else rep0 += (direct(bits - 4) << 4) + reversed(ALIGN, 4);
      }
    }
    if (rep0 < 0 || rep0 >= done || done + count > size) damaged();
    for (; count--; done++) out[done] = out[done - rep0 - 1];
  }
  if (coder[1] || at !== packed.length) damaged();
  return out;
}
