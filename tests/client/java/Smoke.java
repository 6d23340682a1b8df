import chautari.v1.ActRequest;
import chautari.v1.ActResponse;
import chautari.v1.CreateGuestRequest;
import chautari.v1.CreateGuestResponse;
import chautari.v1.CreateMatchRequest;
import chautari.v1.EndCause;
import chautari.v1.JoinMatchRequest;
import chautari.v1.JoinMatchResponse;
import chautari.v1.Match;
import chautari.v1.Option;
import chautari.v1.ResignMatchRequest;
import chautari.v1.Update;
import chautari.v1.View;
import chautari.v1.ViewRequest;
import chautari.v1.WatchRequest;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.rpc.ErrorInfo;
import java.io.DataInputStream;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Two guests meet, act, are refused, and watch to the end, in Java: generated messages over the Connect protocol, with
 * nothing but the JDK's HTTP client. {@code java Smoke ADDRESS} prints what the test looks for.
 */
public final class Smoke {
  private static final Pattern INFO =
      Pattern.compile("\"type\":\\s*\"google.rpc.ErrorInfo\",\\s*\"value\":\\s*\"([^\"]+)\"");
  private static final int LAST_FRAME = 2;

  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String address;
  private String token = "";

  private Smoke(String address) {
    this.address = address;
  }

  public static void main(String[] arguments) throws Exception {
    Smoke asha = new Smoke(arguments[0]);
    Smoke bimal = new Smoke(arguments[0]);
    System.out.println("name " + asha.signIn("आशा"));
    bimal.signIn("Bimal");
    Match match = asha.call("Matches/CreateMatch", CreateMatchRequest.newBuilder()
        .setGame("games/gulam_chor")
        .setSettings(Struct.newBuilder()
            .putFields("players", Value.newBuilder().setNumberValue(2).build())
            .putFields("rounds", Value.newBuilder().setNumberValue(20).build()))
        .addSeats(0)
        .setRequestId(UUID.randomUUID().toString())
        .build(), Match.parser());
    JoinMatchResponse joined = bimal.call("Matches/JoinMatch",
        JoinMatchRequest.newBuilder().setCode(match.getCode()).build(), JoinMatchResponse.parser());
    System.out.println("seats " + joined.getMatch().getMySeatsList());
    Smoke[] seats = {asha, bimal};
    int acts = 0;
    for (int turn = 0; turn < 4; turn++) {
      for (int seat = 0; seat < seats.length; seat++) {
        View view = seats[seat].call("Play/View",
            ViewRequest.newBuilder().setMatch(match.getName()).setSeat(seat).build(), View.parser());
        if (view.getOptionsCount() > 0) {
          Option option = view.getOptions(0);
          String text = option.getActionsCount() > 0 ? option.getActions(0) : option.getExample();
          ActRequest act = ActRequest.newBuilder().setMatch(match.getName()).setSeat(seat).setText(text)
              .setRequestId(UUID.randomUUID().toString()).build();
          ActResponse first = seats[seat].call("Play/Act", act, ActResponse.parser());
          ActResponse again = seats[seat].call("Play/Act", act, ActResponse.parser());
          if (again.getRevision() != first.getRevision() || !again.getReplayed()) {
            throw new IllegalStateException("it took effect twice");
          }
          acts++;
        }
      }
    }
    System.out.println("acts " + (acts > 0));
    try {
      bimal.call("Play/Act",
          ActRequest.newBuilder().setMatch(match.getName()).setSeat(0).setText("dance").build(), ActResponse.parser());
    } catch (Refused refused) {
      System.out.println("refused " + refused.info.getDomain() + " " + refused.info.getReason());
    }
    Match over = asha.call("Matches/ResignMatch",
        ResignMatchRequest.newBuilder().setName(match.getName()).setSeat(0).build(), Match.parser());
    List<Integer> revisions = bimal.watch(match.getName(), 1);
    for (int place = 0; place < revisions.size(); place++) {
      if (revisions.get(place) != place + 1) {
        throw new IllegalStateException("a gap in " + revisions);
      }
    }
    System.out.println("watched " + (revisions.size() == over.getRevision()));
  }

  private String signIn(String name) throws Exception {
    CreateGuestResponse guest = call("Accounts/CreateGuest",
        CreateGuestRequest.newBuilder().setDisplayName(name).build(), CreateGuestResponse.parser());
    token = guest.getTokens().getAccessToken();
    return guest.getAccount().getDisplayName();
  }

  /** A unary call. */
  private <T extends MessageLite> T call(String method, MessageLite request, Parser<T> parser) throws Exception {
    HttpResponse<byte[]> answer = http.send(request(method, "application/proto", request.toByteArray()),
        HttpResponse.BodyHandlers.ofByteArray());
    if (answer.statusCode() != 200) {
      throw new Refused(new String(answer.body(), "UTF-8"));
    }
    return parser.parseFrom(answer.body());
  }

  /** The revisions of a match from its creation to its end. */
  private List<Integer> watch(String match, int seat) throws Exception {
    byte[] asked = WatchRequest.newBuilder().setMatch(match).setSeat(seat).setAfterRevision(0).build().toByteArray();
    byte[] framed = ByteBuffer.allocate(asked.length + 5).put((byte) 0).putInt(asked.length).put(asked).array();
    HttpResponse<InputStream> answer = http.send(request("Play/Watch", "application/connect+proto", framed),
        HttpResponse.BodyHandlers.ofInputStream());
    List<Integer> revisions = new ArrayList<>();
    try (DataInputStream frames = new DataInputStream(answer.body())) {
      while (true) {
        int flags = frames.readUnsignedByte();
        byte[] message = new byte[frames.readInt()];
        frames.readFully(message);
        if ((flags & LAST_FRAME) != 0) {
          return revisions;
        }
        Update update = Update.parseFrom(message);
        if (update.hasStep()) {
          revisions.add(update.getRevision());
        } else if (update.hasEnd() && update.getEnd().getCause() != EndCause.END_CAUSE_MATCH_OVER) {
          throw new IllegalStateException("the stream ended with " + update.getEnd());
        }
      }
    }
  }

  private HttpRequest request(String method, String type, byte[] body) {
    HttpRequest.Builder made = HttpRequest.newBuilder(URI.create(address + "/chautari.v1." + method))
        .header("content-type", type)
        .header("connect-protocol-version", "1")
        .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    return (token.isEmpty() ? made : made.header("authorization", "Bearer " + token)).build();
  }

  /** The server said no, and why. */
  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient ErrorInfo info;

    private Refused(String body) throws Exception {
      super(body);
      Matcher found = INFO.matcher(body);
      if (!found.find()) {
        throw new IllegalStateException("no ErrorInfo in " + body);
      }
      String base64 = found.group(1);
      info = ErrorInfo.parseFrom(Base64.getDecoder().decode(base64));
    }
  }
}
